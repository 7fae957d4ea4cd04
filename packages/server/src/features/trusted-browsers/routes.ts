import { TrustBrowserRequest, TrustedBrowser, TrustedBrowserList, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { clearCookies, setCookies } from '../../http/cookies.ts';
import { freshAuth } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { trustHashOf } from '../../http/sign-in.ts';
import { listBrowsers } from './list.ts';
import { revokeOne } from './revoke.ts';
import { trustBrowser } from './trust.ts';

/** docs/reference/mfa.md#trusted-browsers */
export const trustedBrowsers: Feature = {
  name: 'Trusted browsers',
  sweeps: [{ name: 'trusted browsers', sweep: deleteOldTrustedBrowsers }],
  routes: [
    route({
      id: 'trustBrowser',
      method: 'POST',
      path: '/auth/trusted-browsers',
      admits: ['session'],
      access: [freshAuth],
      summary: 'Trust this browser for 30 days',
      description: 'Sign-in with a password or an emailed code then skips the second factor, at `aal1`.',
      body: TrustBrowserRequest,
      responses: { 201: TrustedBrowser },
      sends: ['Set-Cookie'],
      handler: async ({ deps, caller, session, body, request, reply }) => {
        const trusting = { ...body, trust_hash: trustHashOf(request) };
        const { browser, token } = await trustBrowser(deps, caller, session, trusting);
        setCookies(reply, deps.config, { service_trust: token });
        return browser;
      },
    }),
    route({
      id: 'listTrustedBrowsers',
      method: 'GET',
      path: '/auth/trusted-browsers',
      admits: ['session'],
      summary: 'List your trusted browsers',
      responses: { 200: TrustedBrowserList },
      handler: ({ deps, session, request }) => listBrowsers(deps, session, trustHashOf(request)),
    }),
    route({
      id: 'removeTrustedBrowser',
      method: 'DELETE',
      path: '/auth/trusted-browsers/:id',
      admits: ['session'],
      summary: 'Revoke a trusted browser',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      sends: ['Set-Cookie'],
      errors: ['not_found'],
      handler: async ({ deps, caller, session, params, request, reply }) => {
        const which = { id: params.id, trust_hash: trustHashOf(request) };
        const isThisOne = await revokeOne(deps, caller, session, which);
        if (isThisOne) clearCookies(reply, deps.config, ['service_trust']);
      },
    }),
  ],
};
