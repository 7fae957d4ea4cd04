/** The work could not be done; the message says why and what to do, and needs no stack. Empty: it was said already. */
export class CommandFailure extends Error {}
