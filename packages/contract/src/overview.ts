import { type Static, Type } from 'typebox';

export const OverviewQuery = Type.Object({
  range: Type.Optional(
    Type.Enum(['24h', '7d', '30d'], { description: 'How far back sign-ins are counted; 24 hours when left out.' }),
  ),
});
export type OverviewQuery = Static<typeof OverviewQuery>;

export const SignInPoint = Type.Object({
  at: Type.String({ format: 'date-time', description: 'Where the hour or the day begins, in UTC.' }),
  succeeded: Type.Integer({
    description:
      'Sign-ins that opened a session: by password, passkey, emailed code or a third party; with a second factor, once that was given. Registering with a password is none.',
  }),
  failed: Type.Integer({
    description:
      'Attempts that were refused, at the first factor or at the second, each that the audit trail tells of: what a limit turns away unjudged leaves no row.',
  }),
});
export type SignInPoint = Static<typeof SignInPoint>;

/** What the console shows first. */
export const Overview = Type.Object({
  users: Type.Integer({ description: 'Active or disabled; those that were deleted are not counted.' }),
  organizations: Type.Integer({ description: 'Suspended ones too.' }),
  active_sessions: Type.Integer({ description: 'Neither ended nor expired.' }),
  active_sessions_estimated: Type.Boolean({
    description:
      'There are so many (about a million) that `active_sessions` is what the database expects, not a count.',
  }),
  mail: Type.Object({
    queued: Type.Integer({ description: 'Waiting to be sent, for the first time or again.' }),
    failed: Type.Integer({ description: 'Given up in the last 30 days: refused, or tried in vain.' }),
    expired: Type.Integer({
      description: 'Not sent in the last 30 days because what they held was good no longer.',
    }),
  }),
  sign_ins: Type.Object({
    step: Type.Enum(['hour', 'day'], { description: 'What a point stands for: hours for `24h`, else days.' }),
    points: Type.Array(SignInPoint, {
      description: 'All of them, oldest first: 24, 7 or 30. The last is the hour or day that is still under way.',
    }),
  }),
});
export type Overview = Static<typeof Overview>;
