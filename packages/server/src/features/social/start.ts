import type { Deps } from '../../domain/context.ts';
import { sealFlow } from '../../domain/upstream/flow.ts';
import { social, socialConnection } from '../../domain/upstream/social.ts';
import type { SocialFlow } from './flow.ts';

/** Starts a sign-in, or the linking of an identity. Returns the URL of the provider. `browser`: see `sealFlow`. */
export const start = (deps: Deps, flow: SocialFlow, browser: string): Promise<string> => {
  const request = sealFlow(deps.keyring, 'oauth-flow', flow, browser, deps.clock.now());
  return social.start(deps, socialConnection(deps, flow.provider), request);
};
