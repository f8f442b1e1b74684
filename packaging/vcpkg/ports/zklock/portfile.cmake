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
        testing ZKLOCK_TESTING
        tls ZKLOCK_TLS
)

# zklock takes in the objects of the port zookeeper without its feature "sync".
set(release_archives "${CURRENT_INSTALLED_DIR}/lib/libzookeeper.a\\;${CURRENT_INSTALLED_DIR}/lib/libhashtable.a")
set(debug_archives "${CURRENT_INSTALLED_DIR}/debug/lib/libzookeeper.a\\;${CURRENT_INSTALLED_DIR}/debug/lib/libhashtable.a")
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DZKLOCK_INSTALL=ON
        "-Dzookeeper_st_include=${CURRENT_INSTALLED_DIR}/include"
    OPTIONS_RELEASE
        "-Dzookeeper_st_archive=${release_archives}"
    OPTIONS_DEBUG
        "-Dzookeeper_st_archive=${debug_archives}"
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
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/packaging/copyright")
