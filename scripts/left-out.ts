/** Packages that dist/ does not hold, and loads from node_modules: lmdb loads a native library from beside itself. */
export const LOADED_FROM_PACKAGES: readonly string[] = ['lmdb'];

/** proto-loader serves a part of grpc-js that is not used, and is large. */
export const NEVER_LOADED: readonly string[] = ['@grpc/proto-loader'];
