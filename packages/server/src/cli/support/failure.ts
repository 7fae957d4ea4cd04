/**
 * An error whose message says what failed and what to do, so that no stack trace is needed. The message is empty if it
 * was already printed.
 */
export class CommandFailure extends Error {}
