import { type Static, Type } from 'typebox';

export const OverviewQuery = Type.Object({
  range: Type.Optional(
    Type.Enum(['24h', '7d', '30d'], { description: 'The period of the sign-in counts; default 24 hours.' }),
  ),
});
export type OverviewQuery = Static<typeof OverviewQuery>;

export const SignInPoint = Type.Object({
  at: Type.String({ format: 'date-time', description: 'The start of the hour or day, in UTC.' }),
  succeeded: Type.Integer({
    description:
      'Sign-ins that opened a session: by password, passkey, emailed code, third party or single sign-on; with MFA, after the second factor. Registration with a password is not counted.',
  }),
  failed: Type.Integer({
    description:
      'Failed attempts at the first or the second factor that are in the audit trail. Attempts rejected by a rate limit are not audited.',
  }),
});
export type SignInPoint = Static<typeof SignInPoint>;

/** The start page of the console. */
export const Overview = Type.Object({
  users: Type.Integer({ description: 'Active and disabled users; deleted ones are not counted.' }),
  organizations: Type.Integer({ description: 'Includes suspended organizations.' }),
  active_sessions: Type.Integer({ description: 'Sessions that have neither ended nor expired.' }),
  active_sessions_estimated: Type.Boolean({
    description:
      'True: there are so many sessions (about a million) that `active_sessions` is an estimate of the database, not a count.',
  }),
  mail: Type.Object({
    queued: Type.Integer({ description: 'Waiting for the first attempt or a retry.' }),
    failed: Type.Integer({ description: 'Failed in the last 30 days: rejected, or all attempts failed.' }),
    expired: Type.Integer({
      description: 'Not sent in the last 30 days because their content had expired.',
    }),
  }),
  sign_ins: Type.Object({
    step: Type.Enum(['hour', 'day'], { description: 'The interval of a point: hours for `24h`, otherwise days.' }),
    points: Type.Array(SignInPoint, {
      description: 'Oldest first: 24, 7 or 30 points. The last one is the current hour or day.',
    }),
  }),
});
export type Overview = Static<typeof Overview>;
