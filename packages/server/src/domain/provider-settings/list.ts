import type { OAuthProvider, PROVIDER_TABLE, ProviderKey } from '@gatehouse/contract';
import { apple } from './apple.ts';
import type { OAuthProviderDefinition } from './definition.ts';
import { facebook } from './facebook.ts';
import { github } from './github.ts';
import { google } from './google.ts';
import { microsoft } from './microsoft.ts';

type Definitions = {
  readonly [Key in Exclude<ProviderKey, 'resend'>]: OAuthProviderDefinition & Pick<(typeof PROVIDER_TABLE)[Key], 'id'>;
};

const DEFINITIONS: Definitions = {
  google,
  github,
  microsoft,
  apple,
  facebook,
};

const byId = new Map<OAuthProvider, OAuthProviderDefinition>(Object.values(DEFINITIONS).map((one) => [one.id, one]));

export const definitionOf = (provider: OAuthProvider): OAuthProviderDefinition => byId.get(provider)!;
