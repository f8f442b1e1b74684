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
        "metrics": [True, False],
        "testing": [True, False],
        "tls": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "metrics": False,
        "testing": False,
        "tls": True,
    }
    implements = ["auto_shared_fpic"]

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("boost/1.88.0", transitive_headers=True)
        if self.options.tls:
            self.requires("openssl/[>=3.0 <4]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"{self.ref} supports Linux only")
        check_min_cppstd(self, 20)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)
        # zklock compiles ZooKeeper's C client under names of its own.
        get(self, **self.conan_data["zookeeper"], strip_root=True, destination="zookeeper")

    def generate(self):
        tc = CMakeToolchain(self)
        tc.cache_variables["ZKLOCK_TESTING"] = bool(self.options.testing)
        tc.cache_variables["ZKLOCK_METRICS"] = bool(self.options.metrics)
        tc.cache_variables["ZKLOCK_TLS"] = bool(self.options.tls)
        tc.cache_variables["ZKLOCK_COMMAND"] = False
        tc.cache_variables["ZKLOCK_INSTALL"] = True
        tc.cache_variables["ZKLOCK_ZOOKEEPER_SOURCE"] = os.path.join(self.source_folder, "zookeeper")
        tc.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        licenses = os.path.join(self.package_folder, "licenses")
        for file in ("LICENSE", "NOTICE"):
            copy(self, file, src=self.source_folder, dst=licenses)
        copy(self, "copyright", src=os.path.join(self.source_folder, "debian"), dst=licenses)
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
        for name in ("metrics", "testing"):
            if getattr(self.options, name):
                component = self.cpp_info.components[name]
                component.libs = [f"zklock_{name}"]
                component.requires = ["boost::headers"]
                component.system_libs = ["pthread"]
                component.set_property("cmake_target_name", f"zklock::{name}")
                component.set_property("pkg_config_name", f"zklock-{name}")
