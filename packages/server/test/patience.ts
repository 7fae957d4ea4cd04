/**
 * How long a test waits for what must come: long for a machine that is busy with other things, and less than the half minute after
 * which a replica looks by itself at what it should have been told at once.
 */
export const PATIENCE = 25_000;
