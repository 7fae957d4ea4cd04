/** Packages with native code, which cannot be bundled and are installed separately. `deploy/pack.mjs` includes them. */
export const NATIVE = ['@node-rs/argon2', '@node-rs/bcrypt', 'sharp'];
