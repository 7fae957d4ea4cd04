import { describe, expect, it } from 'vitest';
import { createClient, type StepUp, withStepUp } from './index.ts';

/** A service that responds to the first calls with these values of `X-Service-Step-Up`, and then with 204. */
function answering(...headers: (string | undefined)[]) {
  const asked: StepUp[] = [];
  let calls = 0;
  const fetch = (async () => {
    const header = headers[calls++];
    if (calls > headers.length) return new Response(null, { status: 204 });
    const init = { status: 401, ...(header !== undefined && { headers: { 'x-service-step-up': header } }) };
    return Response.json({ error: { code: 'mfa_required', message: 'no' } }, init);
  }) as typeof globalThis.fetch;
  const client = createClient({ base: 'http://127.0.0.1:1/v1', fetch, access_token: 'e30.e30.e30' });
  const ask = async (needs: StepUp) => {
    asked.push(needs);
  };
  return { asked, ask, work: () => client.account.sendVerification(), calls: () => calls };
}

describe('withStepUp', () => {
  it.each(['second_factor', 'sign_in', 'enroll'] as const)(
    'asks the user for %s if the call requires it, then repeats the call',
    async (needs) => {
      const service = answering(needs);
      await withStepUp(service.work, service.ask);
      expect(service.asked).toEqual([needs]);
      expect(service.calls()).toBe(2);
    },
  );

  it('asks the user again if the repeated call requires another step-up', async () => {
    const service = answering('sign_in', 'second_factor');
    await withStepUp(service.work, service.ask);
    expect(service.asked).toEqual(['sign_in', 'second_factor']);
  });

  it('asks the user at most twice, then rejects with the error of the call', async () => {
    const service = answering('sign_in', 'sign_in', 'sign_in');
    await expect(withStepUp(service.work, service.ask)).rejects.toMatchObject({ step_up: 'sign_in' });
    expect(service.calls()).toBe(3);
  });

  it.each([undefined, 'dance'])('does not ask the user if the step-up header is %s', async (header) => {
    const service = answering(header);
    await expect(withStepUp(service.work, service.ask)).rejects.toMatchObject({
      code: 'mfa_required',
      step_up: undefined,
    });
    expect(service.asked).toEqual([]);
  });

  it('does not repeat the call when the user cancels', async () => {
    const service = answering('second_factor');
    const cancel = () => Promise.reject(new Error('no, thanks'));
    await expect(withStepUp(service.work, cancel)).rejects.toThrow('no, thanks');
    expect(service.calls()).toBe(1);
  });
});
