import { SSO_CAUSES, type SsoCause } from '@gatehouse/contract';

const causes: Readonly<Record<SsoCause, string>> = SSO_CAUSES;

export const text = {
  title: 'Single sign-on',
  lead: 'Members sign in with the accounts that your organization already has, at a provider that supports OpenID Connect.',
  notYours: 'Only owners can set up single sign-on',
  empty: 'No connections yet',
  emptyHint:
    'Create one to connect your organization’s identity provider, such as Microsoft Entra ID, Okta, Google Workspace or Keycloak.',
  domainFirst: {
    title: 'Verify a domain first',
    lead: 'Single sign-on works for email addresses in verified domains. You can prepare a connection meanwhile.',
    link: 'Go to domains',
  },
  toList: 'Go to single sign-on',
  missingTitle: 'Connection not found',
  missing: 'It may have been deleted.',
  create: 'New connection',
  createVerb: 'Create connection',
  created: (name: string) => `${name} created`,
  full: 'Your organization already has five connections.',
  name: 'Name',
  nameHint: 'Shown on the sign-in page: “Continue with …”.',
  nameMissing: 'Enter a name.',
  issuer: 'Issuer',
  issuerHint:
    'The address of your provider, exactly as in its documentation or discovery document, such as https://login.example.com.',
  issuerWrong: 'Enter an address that begins with https://, without a question mark or #.',
  client_id: 'Client ID',
  clientHint:
    'Register this service as a web application at your provider. It then shows the client ID and the secret.',
  clientMissing: 'Enter the client ID.',
  secret: 'Client secret',
  secretHint: 'Leave it empty only if your provider has issued no secret. Once saved, it is never shown again.',
  secretKept: 'A secret is stored. Leave the field empty to keep it.',
  secretLost:
    'The stored secret belongs to the previous issuer and will be removed. Enter the secret of the new issuer.',
  showSecret: 'Show secret',
  noKey:
    'The service can’t store secrets: its operator has to set CONFIG_ENCRYPTION_KEY first. Ask the operator of the service.',
  rejected: 'The service did not accept these values. Check the issuer, the client ID and the domains.',
  taken: 'One of these domains is used by another connection. Reload the page to see which.',
  domains: 'Domains',
  status: 'Status',
  states: { draft: 'Draft', active: 'Active' },
  lastTest: 'Last test',
  testStates: { good: 'Passed', bad: 'Failed', none: 'Not tested' },
  next: {
    domains: 'Next: select at least one domain.',
    test: 'Next: test the connection.',
    failed: 'The last test failed. Read the result below, correct the values and test again.',
    activate: 'The test has passed. Next: activate the connection.',
    active: (domains: string) => `The connection is active. Users with an address in ${domains} can sign in with it.`,
    idle: 'The connection is active, but has no verified domain, so the sign-in page doesn’t offer it. Select a domain.',
  },
  provider: {
    title: '1. Provider',
    lead: 'The values that you get from your identity provider.',
    saved: 'Provider saved',
    ends: 'Saving makes this connection a draft and signs out everyone who signed in with it. Test and activate it again afterwards.',
  },
  callback: {
    title: '2. Callback URL',
    lead: 'Enter this address at your provider as redirect URI, also called callback or reply URL. It has to match exactly.',
    copy: 'Copy the callback URL',
    scopes: 'The service asks for the scopes openid, email and profile.',
  },
  scope: {
    title: '3. Domains',
    lead: 'Users with an email address in these domains are offered this connection on the sign-in page.',
    label: 'Verified domains',
    none: 'Your organization has no verified domain yet.',
    usedBy: (name: string) => `Used by the connection ${name}.`,
    saved: 'Domains saved',
    ends: 'Users with an address in a domain that you remove here can no longer sign in with this connection.',
  },
  members: {
    title: '4. Members and roles',
    lead: 'What happens when someone signs in with this connection.',
    create: 'Add new members automatically',
    createHint:
      'Off: only members, and users with an invitation, can sign in. On: everyone who can sign in at your provider, with an address in the selected domains, becomes a member. Removed members are not added again.',
    role: 'Role of new members',
    trust: 'Trust the provider’s second factor',
    trustHint:
      'If the provider reports that it has checked a second factor, members aren’t asked for another one here. Only turn this on if your provider requires a second factor.',
    saved: 'Members and roles saved',
    forbidden: 'One of the roles contains permissions that you don’t have.',
  },
  test: {
    title: '5. Test',
    lead: 'You sign in at the provider and return to this page. Nothing changes for members, and you stay signed in here.',
    verb: 'Test connection',
    unreadable: 'The configuration of the provider could not be read. The reason is shown below.',
    passed: 'The test passed',
    failed: 'The test failed',
    none: 'The connection has not been tested with these values yet.',
  },
  causes,
  activate: {
    title: '6. Activate',
    draft: 'Not active: the sign-in page does not offer this connection.',
    active: 'Active: the sign-in page offers this connection.',
    verb: 'Activate',
    done: (name: string) => `${name} is active`,
    conflict:
      'Test the connection first: a test must have passed since you last changed the values under “1. Provider”.',
    rules: 'To allow only single sign-on, turn on “Require single sign-on” in the sign-in rules.',
    toRules: 'Go to sign-in rules',
  },
  deactivate: {
    verb: 'Deactivate',
    title: (name: string) => `Deactivate ${name}?`,
    question: 'Everyone who signed in with this connection is signed out, and the sign-in page no longer offers it.',
    done: (name: string) => `${name} is no longer active`,
  },
  required:
    'Your sign-in rules require single sign-on, and this is the last active connection. Change the rules first, under “Sign-in rules”.',
  remove: {
    title: 'Delete',
    lead: 'Everyone who signed in with this connection is signed out, and the links between members and their accounts at the provider are removed. Members keep their accounts here.',
    verb: 'Delete connection',
    ask: (name: string) => `Delete ${name}?`,
    type: (name: string) => `Type ${name} to confirm`,
    done: (name: string) => `${name} deleted`,
  },
  tooOften: 'Too many attempts in a short time.',
};
export type Text = typeof text;
