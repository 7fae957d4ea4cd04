/** The message says what failed and what to do, and needs no stack. Empty if it was already printed. */
export class CommandFailure extends Error {}
