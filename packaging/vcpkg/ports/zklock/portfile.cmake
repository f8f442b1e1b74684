vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO zklock/zklock
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main
)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        command ZKLOCK_COMMAND
        metrics ZKLOCK_METRICS
        testing ZKLOCK_TESTING
        tls ZKLOCK_TLS
)

# zklock compiles ZooKeeper's C client under names of its own.
vcpkg_download_distfile(zookeeper_archive
    URLS "https://archive.apache.org/dist/zookeeper/zookeeper-3.8.0/apache-zookeeper-3.8.0.tar.gz"
    FILENAME "apache-zookeeper-3.8.0.tar.gz"
    SHA512 0bfaf823af115d3d8e589d69312658df359a8c740996acf3c7fc392c8912a588507189831459ede89b0cfd203fac96d3bb2b3f258b894fedc034d7f1331f6d0a
)
vcpkg_extract_source_archive(zookeeper_source ARCHIVE "${zookeeper_archive}")
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DZKLOCK_INSTALL=ON
        "-DZKLOCK_ZOOKEEPER_SOURCE=${zookeeper_source}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/zklock)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES zklock AUTO_CLEAN)
    vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/${PORT}/zklockConfig.cmake"
        "\${PACKAGE_PREFIX_DIR}/bin/zklock"
        "\${PACKAGE_PREFIX_DIR}/tools/zklock/zklock"
    )
endif()

file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE" "${SOURCE_PATH}/debian/copyright")
