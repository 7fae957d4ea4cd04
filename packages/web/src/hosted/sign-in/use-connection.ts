import type { SsoDiscovery } from '@gatehouse/contract';
import { useEffect, useRef, useState } from 'react';
import { client } from '../client.ts';
import { isEmail } from '../form/checks.ts';

export type Connection = NonNullable<SsoDiscovery['connection']>;

/** How long to wait after the last key before a look-up, because every prefix of a domain looks like a domain. */
const TYPING_MS = 500;

const domainOf = (email: string): string | undefined =>
  isEmail(email) ? email.trim().split('@').at(-1)!.toLowerCase() : undefined;

/**
 * Returns the connection for single sign-on of the organization that has the domain of the typed address. `ask` looks
 * it up, once for each domain; if that fails, the page offers the other methods, and the service decides.
 */
export function useConnection(known: string) {
  const [found, setFound] = useState<{ readonly domain: string; readonly connection: Connection | null }>();
  const [email, setEmail] = useState(known);
  const answers = useRef(new Map<string, Promise<Connection | null>>());

  const ask = async (typed: string): Promise<Connection | null> => {
    const asked = domainOf(typed);
    setEmail(typed);
    if (asked === undefined) return null;
    let answer = answers.current.get(asked);
    if (!answer) {
      answer = client.signIn.discoverSso(typed.trim()).then(
        ({ connection }) => connection,
        () => {
          answers.current.delete(asked);
          return null;
        },
      );
      answers.current.set(asked, answer);
    }
    const connection = await answer;
    setFound({ domain: asked, connection });
    return connection;
  };

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const askSoon = (typed: string) => {
    setEmail(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void ask(typed), TYPING_MS);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for an address that the page already knows
  useEffect(() => {
    void ask(known);
    return () => clearTimeout(timer.current);
  }, []);
  const connection = (found?.domain === domainOf(email) && found?.connection) || undefined;
  return { connection, email, ask, askSoon };
}
