/** An error whose message says what failed and what to do, without a stack trace. Empty if already printed. */
export class CommandFailure extends Error {}
