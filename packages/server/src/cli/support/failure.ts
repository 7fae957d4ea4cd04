/**
 * An error whose message says what failed and what to do. It is printed without a stack trace. The message is empty if
 * it was already printed.
 */
export class CommandFailure extends Error {}
