export interface MailMessage {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface SendOptions {
  /** The same for every attempt at one mail, so that the far side can tell a second attempt from a second mail. */
  readonly idempotencyKey: string;
}

export interface MailTransport {
  readonly name: 'api' | 'smtp' | 'folder';
  /** Returns when the far side has taken the mail over; otherwise throws a MailError. */
  send(message: MailMessage, options: SendOptions): Promise<void>;
  close(): Promise<void>;
}

interface MailFailure {
  /** A word for logs and `last_error`, never text of the far side: that may quote address or content. */
  readonly reason: string;
  /** True when the same mail will be refused again. */
  readonly permanent: boolean;
  /** Seconds, when the far side asked for slower sending. This says nothing about the mail. */
  readonly retryAfter?: number;
}

export class MailError extends Error {
  readonly reason: string;
  readonly permanent: boolean;
  readonly retryAfter: number | undefined;
  constructor(failure: MailFailure) {
    super(`the mail was not sent: ${failure.reason}`);
    this.name = 'MailError';
    this.reason = failure.reason;
    this.permanent = failure.permanent;
    this.retryAfter = failure.retryAfter;
  }
}

/** Addresses and subject become headers: nothing in them may end a line, and `to` is one address, not a list. */
export function checkMessage(message: MailMessage): void {
  if (/\p{Cc}/u.test(message.subject)) throw new MailError({ reason: 'invalid_subject', permanent: true });
  if (/\p{Cc}/u.test(message.from)) throw new MailError({ reason: 'invalid_sender', permanent: true });
  if (!/^[^\p{Cc}\s<>,;]+@[^\p{Cc}\s<>,;@]+$/u.test(message.to)) {
    throw new MailError({ reason: 'invalid_recipient', permanent: true });
  }
}
