/** Packages with native code: no bundle holds them, so they are installed beside it. `deploy/pack.mjs` takes them along. */
export const NATIVE = ['@node-rs/argon2', '@node-rs/bcrypt', 'sharp'];
