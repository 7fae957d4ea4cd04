import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Nullable, Timestamp, Uuid } from './text.ts';

/** docs/reference/policy-and-sso.md#domains */
export const Domain = Type.Object({
  id: Uuid,
  domain: Type.String({ description: 'Lower-case, with A-labels.', examples: ['example.com'] }),
  status: Type.Enum(['pending', 'verified']),
  record: Type.Object(
    {
      type: Type.Enum(['TXT']),
      name: Type.String({ examples: ['_gatehouse.example.com'] }),
      value: Type.String({ examples: ['gatehouse-domain=mFZlC0b9n0VGSR3oeT1hKX4qN7yZUu2vB5aWcPdEfgI'] }),
    },
    { description: 'The DNS record that proves the ownership of the domain.' },
  ),
  verified_at: Nullable(Timestamp),
  checked_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When the DNS last answered a look-up of the record, whether or not the record was found.',
    }),
  ),
  failing_since: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The first daily check that failed since the record was last found. Null: the last one succeeded.',
    }),
  ),
});
export type Domain = Static<typeof Domain>;

/** Sorted by name. */
export const DomainList = Type.Object({ items: Type.Array(Domain) });
export type DomainList = Static<typeof DomainList>;

export const NewDomain = Type.Object(
  {
    domain: Type.String({
      format: 'text',
      minLength: 1,
      maxLength: LIMITS.domain.name,
      description: 'A domain name. Upper-case and non-ASCII letters are converted (IDNA).',
    }),
  },
  { examples: [{ domain: 'example.com' }] },
);
export type NewDomain = Static<typeof NewDomain>;
