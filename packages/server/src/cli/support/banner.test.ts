import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Environment, loadConfig } from '../../platform/config/load.ts';
import { VERSION } from '../../version.ts';
import { describeStart, type Started } from './banner.ts';

const SETTINGS = { JWT_SECRET: 'x1y2z3a4b5c6d7e8f9g0'.repeat(2), PUBLIC_BASE_URL: 'http://localhost:8080' };
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com', HOST: '0.0.0.0' };

const banner = (environment: Environment = {}, started: Partial<Started> = {}): string =>
  stripVTControlCharacters(
    describeStart({
      config: loadConfig({ ...SETTINGS, ...environment }),
      port: 8080,
      database: '/srv/gatehouse/data (embedded PostgreSQL)',
      environmentFile: '/srv/gatehouse/.env',
      hasOwner: false,
      given: { port: '', database: '' },
      milliseconds: 1512,
      ...started,
    }),
  );

describe('the banner', () => {
  it('shows addresses, locations and next steps', () => {
    expect(banner()).toBe(`
Gatehouse ${VERSION} is ready after 1.5 s

  Open        http://localhost:8080/          create an organization, or sign in
  Console     http://localhost:8080/console   needs a platform owner, see below
  Mail        http://localhost:8080/dev/mail  mails appear here while no transport is configured
  API         http://localhost:8080/docs      API reference

  Listening   127.0.0.1:8080
  Data        /srv/gatehouse/data (embedded PostgreSQL)
  Secrets     /srv/gatehouse/.env
  Owner       none yet: register, then npx gatehouse admin grant <your email>
  Check       npx gatehouse doctor
  Production  this is a development setup; to deploy: docs/deploying.md
`);
  });

  it('does not suggest becoming platform owner if there already is one', () => {
    expect(banner({}, { hasOwner: true })).not.toContain('Owner');
    expect(banner({}, { hasOwner: true })).toContain('for platform administrators');
  });

  it('shows neither the mail page nor development hints in production', () => {
    const text = banner(PRODUCTION, { environmentFile: undefined, database: 'db.internal:5432/gatehouse' });
    expect(text).not.toMatch(/dev\/mail|development|!/);
    expect(text).toContain('Secrets     the environment');
    expect(text).toContain('Data        db.internal:5432/gatehouse');
  });

  it.each([
    ['a port that links do not have', {}, 9000, 'PUBLIC_BASE_URL has port 8080, but the service listens on 9000'],
    ['http in production', { NODE_ENV: 'production' }, 8080, 'set it to the public https address'],
    ['development on all interfaces', { HOST: '0.0.0.0' }, 8080, 'anyone who reaches it can read all mail'],
    ['an invalid INITIAL_OWNER_EMAIL', { INITIAL_OWNER_EMAIL: 'ada' }, 8080, 'not an email address'],
  ])('warns about %s', (_, environment, port, words) => {
    expect(banner(environment, { port })).toMatch(/^! /m);
    expect(banner(environment, { port })).toContain(words);
  });

  it('does not warn about another port for https on this machine, where a proxy listens', () => {
    expect(banner({ PUBLIC_BASE_URL: 'https://localhost:8443' })).not.toContain('!');
  });

  it('says to register with the email in INITIAL_OWNER_EMAIL while there is no platform owner', () => {
    const waiting = { INITIAL_OWNER_EMAIL: 'ada@example.com' };
    expect(banner(waiting)).toContain('none yet: register as ada@example.com\n');
    expect(banner({ ...waiting, ...PRODUCTION })).toContain(
      'register as ada@example.com and open the verification link in the same browser',
    );
  });

  it('shows commands with the settings that they need to find the service and its database', () => {
    const text = banner({ PORT: '9000' }, { given: { port: 'PORT=9000 ', database: 'DATA_DIR=/srv/data ' } });
    expect(text).toContain('Check       PORT=9000 DATA_DIR=/srv/data npx gatehouse doctor\n');
    expect(text).toContain('register, then DATA_DIR=/srv/data npx gatehouse admin grant');
  });

  it('shows the number of workers', () => {
    expect(banner({ WORKERS: '3' })).toContain('Listening   127.0.0.1:8080, 3 workers');
  });
});
