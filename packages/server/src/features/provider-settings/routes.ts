import { PROVIDERS, ProbeResult, type Provider, ProviderChange, ProviderList, ProviderView } from '@gatehouse/contract';
import { Type } from 'typebox';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { limited, platform, steppedUp } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { listProviders } from './list.ts';
import { saveProvider } from './save.ts';
import { testProvider } from './test-provider.ts';

/** §8: one limit shared by the three routes. */
const withinLimit = limited('integrations', (config) => config.LIMIT_INTEGRATIONS);

/** Not an enum in the schema: an unknown id would be 404 then, and §4.9 requires 400. */
const ProviderPath = Type.Object({ provider: Type.String({ description: `One of ${PROVIDERS.join(', ')}.` }) });

export const integrations: Feature = {
  name: 'Integrations',
  gauges: ({ metrics, providers }) => {
    const help = '1 while the stored configuration cannot be used';
    const degraded = (provider: Provider) => Number(providers.find(provider).degraded !== null);
    metrics.gauges({ name: 'gatehouse_provider_degraded', help, label: 'provider', across: 'max' }, async () =>
      Object.fromEntries(PROVIDERS.map((provider) => [provider, degraded(provider)])),
    );
  },
  routes: [
    route({
      id: 'listProviders',
      method: 'GET',
      path: '/admin/integrations',
      limit: withinLimit,
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List the configuration of mail and third-party sign-in',
      description: 'Always lists all six providers. Secrets are never returned, only whether one is stored.',
      responses: { 200: ProviderList },
      handler: ({ deps }) => listProviders(deps),
    }),
    route({
      id: 'setProvider',
      method: 'PUT',
      path: '/admin/integrations/:provider',
      limit: withinLimit,
      admits: ['session'],
      access: [platform('admin'), steppedUp],
      summary: 'Configure a provider',
      description:
        'Takes effect immediately here, and on other replicas within seconds. `degraded` means that the configuration is enabled but cannot be used. Register `callback_url` with the provider.',
      params: ProviderPath,
      body: ProviderChange,
      responses: { 200: ProviderView },
      handler: ({ deps, caller, params, body }) => saveProvider(deps, caller, knownProvider(params.provider), body),
    }),
    route({
      id: 'testProvider',
      method: 'POST',
      path: '/admin/integrations/:provider/test',
      limit: withinLimit,
      admits: ['session'],
      access: [platform('admin'), steppedUp],
      summary: 'Test the stored configuration of a provider',
      description:
        'Works for a disabled provider too. Always returns 200: `ok` is the result, and `detail` says what to do next.',
      params: ProviderPath,
      responses: { 200: ProbeResult },
      errors: ['invalid_input'],
      handler: ({ deps, caller, params }) => testProvider(deps, caller, knownProvider(params.provider)),
    }),
  ],
};

function knownProvider(name: string): Provider {
  const provider = PROVIDERS.find((known) => known === name);
  if (!provider) throw new ServiceError('invalid_input', `provider: must be one of ${PROVIDERS.join(', ')}`);
  return provider;
}
