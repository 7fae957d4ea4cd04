import { type Static, Type } from 'typebox';
import { ErrorBody } from './errors.ts';

export const Health = Type.Object({ status: Type.Literal('ok') });
export type Health = Static<typeof Health>;

const Check = Type.Enum(['ok', 'failed']);

export const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  version: Type.String({ description: 'The version of the service.' }),
  checks: Type.Object({
    database: Check,
    migrations: Check,
    signing_key: Type.Enum(['ok', 'failed', 'other_secret'], {
      description: '`other_secret`: JWT_SECRET could not decrypt the keys of the database, so it signs with new ones.',
    }),
    mail: Check,
  }),
  error: Type.Optional(ErrorBody.properties.error),
  provider_config: Type.Object({
    degraded: Type.Boolean(),
    providers: Type.Array(Type.String()),
    reasons: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
});
export type Readiness = Static<typeof Readiness>;
