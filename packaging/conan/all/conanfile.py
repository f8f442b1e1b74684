import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.1"


class ZklockConan(ConanFile):
    name = "zklock"
    description = "Distributed locks for Boost.Asio programs, kept in ZooKeeper"
    license = "BSL-1.0 AND Apache-2.0 AND BSD-3-Clause"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://github.com/zklock/zklock"
    topics = ("distributed-lock", "zookeeper", "asio", "coroutines")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "testing": [True, False],
        "tls": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "testing": False,
        "tls": True,
    }
    implements = ["auto_shared_fpic"]

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("boost/1.88.0", transitive_headers=True)
        # Its objects become a part of zklock, under other names.
        self.requires("zookeeper-client-c/3.9.4", options={"sync_api": False}, visible=False)

        if self.options.tls:
            self.requires("openssl/[>=3.0 <4]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"{self.ref} supports Linux only")
        check_min_cppstd(self, 20)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        c_client = self.dependencies["zookeeper-client-c"]
        # zklock includes <zookeeper/zookeeper.h>.
        headers = os.path.join(self.generators_folder, "include")
        copy(self, "*.h", src=c_client.cpp_info.includedir, dst=os.path.join(headers, "zookeeper"))
        archives = [os.path.join(c_client.cpp_info.libdir, f"lib{lib}.a")
                    for lib in ("zookeeper", "hashtable")]

        tc = CMakeToolchain(self)
        tc.cache_variables["ZKLOCK_TESTING"] = bool(self.options.testing)
        tc.cache_variables["ZKLOCK_TLS"] = bool(self.options.tls)
        tc.cache_variables["ZKLOCK_COMMAND"] = False
        tc.cache_variables["ZKLOCK_INSTALL"] = True
        tc.cache_variables["zookeeper_st_include"] = headers
        tc.cache_variables["zookeeper_st_archive"] = ";".join(archives)
        tc.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", src=self.source_folder, dst=licenses)
        copy(self, "copyright", src=os.path.join(self.source_folder, "packaging"), dst=licenses)
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "zklock")
        library = self.cpp_info.components["zklock"]
        library.libs = ["zklock"]
        library.requires = ["boost::headers"]
        if self.options.tls:
            library.requires += ["openssl::ssl", "openssl::crypto"]
        library.system_libs = ["pthread"]
        library.set_property("cmake_target_name", "zklock::zklock")
        library.set_property("pkg_config_name", "zklock")
        if self.options.testing:
            testing = self.cpp_info.components["testing"]
            testing.libs = ["zklock_testing"]
            testing.requires = ["boost::headers"]
            testing.system_libs = ["pthread"]
            testing.set_property("cmake_target_name", "zklock::testing")
            testing.set_property("pkg_config_name", "zklock-testing")
