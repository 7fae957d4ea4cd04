import type { Policy, PolicyChange } from '@gatehouse/contract';
import { isNetwork } from '../../platform/networks.ts';
import { ServiceError } from '../kernel/service-error.ts';

/** The policy of an organization that has set none (docs/reference/policy-and-sso.md#policy). */
export const DEFAULT_POLICY: Policy = {
  require_mfa: false,
  allowed_methods: null,
  session_max_age_seconds: null,
  allowed_networks: [],
  sso_required: false,
};

/** Fields that are left out get their default. Duplicate entries are removed. Throws if an entry is not a network. */
export function readPolicy({ allowed_methods, allowed_networks = [], ...given }: PolicyChange): Policy {
  const wrong = allowed_networks.find((network) => !isNetwork(network));
  if (wrong !== undefined) {
    throw new ServiceError('invalid_input', `allowed_networks: ${wrong} is neither an IP address nor a CIDR range`);
  }
  return {
    require_mfa: given.require_mfa ?? DEFAULT_POLICY.require_mfa,
    allowed_methods: allowed_methods ? [...new Set(allowed_methods)] : DEFAULT_POLICY.allowed_methods,
    session_max_age_seconds: given.session_max_age_seconds ?? DEFAULT_POLICY.session_max_age_seconds,
    allowed_networks: [...new Set(allowed_networks)],
    sso_required: given.sso_required ?? DEFAULT_POLICY.sso_required,
  };
}

export const isSamePolicy = (left: Policy, right: Policy): boolean => serialize(left) === serialize(right);

/** Returns the value to store: null if every rule has its default, so that nothing is checked for the organization. */
export const storedPolicy = (policy: Policy): string | null =>
  isSamePolicy(policy, DEFAULT_POLICY) ? null : serialize(policy);

export const policyParameter = (policy: Policy | null): string | null => (policy === null ? null : serialize(policy));

/** Serializes the fields in a fixed order for comparison: PostgreSQL returns them in another order. */
const serialize = ({ require_mfa, allowed_methods, session_max_age_seconds, allowed_networks, sso_required }: Policy) =>
  JSON.stringify({ require_mfa, allowed_methods, session_max_age_seconds, allowed_networks, sso_required });
