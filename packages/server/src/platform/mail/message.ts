export interface MailMessage {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface SendOptions {
  /** The same for every attempt to send a mail, so that the receiver can tell a retry from a second mail. */
  readonly idempotencyKey: string;
}

export interface MailTransport {
  readonly name: 'api' | 'smtp' | 'folder';
  /** Resolves when the receiving side has accepted the mail; otherwise throws a MailError. */
  send(message: MailMessage, options: SendOptions): Promise<void>;
  close(): Promise<void>;
}

interface MailFailure {
  /** A code for logs and `last_error`, never text of the receiving side, which may quote address or content. */
  readonly reason: string;
  /** True if the same mail would be rejected again. */
  readonly permanent: boolean;
  /** In seconds, if the receiving side asked for slower sending, which is not a failure of this mail. */
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

/** Addresses and subject become headers, so they must not contain line breaks. `to` is one address, not a list. */
export function checkMessage(message: MailMessage): void {
  if (/\p{Cc}/u.test(message.subject)) throw new MailError({ reason: 'invalid_subject', permanent: true });
  if (/\p{Cc}/u.test(message.from)) throw new MailError({ reason: 'invalid_sender', permanent: true });
  if (!/^[^\p{Cc}\s<>,;]+@[^\p{Cc}\s<>,;@]+$/u.test(message.to)) {
    throw new MailError({ reason: 'invalid_recipient', permanent: true });
  }
}
