import { type ApplicationKind, STANDARD_SCOPES } from '@gatehouse/contract';
import { findMissingPermissions } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findOrganization } from '../../domain/organizations/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { requireDeliveryUri, requireRedirectUri, requireResource } from './uri-rules.ts';

export interface Settings {
  readonly kind: ApplicationKind;
  readonly redirect_uris: string[];
  readonly post_logout_redirect_uris: string[];
  readonly backchannel_logout_uri: string | null;
  readonly scopes: string[];
  readonly resources: string[];
  readonly trusted: boolean;
  readonly device_flow: boolean;
  readonly organization_id: string | null;
  readonly enabled: boolean;
}

const invalid = (message: string) => new ServiceError('invalid_input', message);

const distinct = (list: readonly string[]): string[] => [...new Set(list)];

/** Fields that the request leaves out keep their value. Lists lose repetitions; scopes are sorted. */
export function mergeSettings(old: Settings, input: Partial<Omit<Settings, 'kind'>>): Settings {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const merged: Settings = { ...old, ...given, kind: old.kind };
  return {
    kind: merged.kind,
    redirect_uris: distinct(merged.redirect_uris),
    post_logout_redirect_uris: distinct(merged.post_logout_redirect_uris),
    backchannel_logout_uri: merged.backchannel_logout_uri,
    scopes: distinct(merged.scopes).sort(),
    resources: distinct(merged.resources),
    trusted: merged.trusted,
    device_flow: merged.device_flow,
    organization_id: merged.organization_id?.toLowerCase() ?? null,
    enabled: merged.enabled,
  };
}

/** docs/reference/oauth-server.md#applications: throws if the settings violate a rule that needs no query. */
export function requireValid({ config }: Deps, settings: Settings): void {
  const { kind, backchannel_logout_uri: backchannel } = settings;
  for (const uri of settings.redirect_uris) requireRedirectUri('redirect_uris', kind, uri);
  for (const uri of settings.post_logout_redirect_uris) requireRedirectUri('post_logout_redirect_uris', kind, uri);
  if (backchannel !== null) {
    requireDeliveryUri('backchannel_logout_uri', backchannel, config.NODE_ENV === 'production');
  }
  for (const uri of settings.resources) requireResource('resources', uri);
  if (settings.trusted && kind !== 'web') throw invalid('trusted: is allowed only for applications of kind web');
  if (settings.redirect_uris.length === 0 && !settings.device_flow) {
    throw invalid('redirect_uris: must not be empty without device_flow');
  }
}

/** docs/reference/oauth-server.md#applications: throws unless the given scopes and the given organization exist. */
export async function requireKnown(
  tx: Tx,
  { scopes = [], organization_id = null }: Partial<Pick<Settings, 'scopes' | 'organization_id'>>,
): Promise<void> {
  const others = scopes.filter((scope) => !(STANDARD_SCOPES as readonly string[]).includes(scope));
  const [unknown] = others.length > 0 ? await findMissingPermissions(tx, others) : [];
  if (unknown !== undefined) throw invalid(`scopes: ${unknown} is neither a standard scope nor a permission`);
  if (organization_id !== null && !(await findOrganization(tx, organization_id))) {
    throw invalid('organization_id: there is no such organization');
  }
}
