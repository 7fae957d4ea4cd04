import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { type Exit, type Member, startMember } from './member.ts';
import type { Assignment, ToPrimary } from './messages.ts';
import { createRelay } from './relay.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** What a worker is given, whichever it is. */
type Terms = Omit<Assignment, 'number'>;

interface WorkerPool {
  /** Settles when all of them listen, with their port. Rejects with the StartFailure of one that cannot; none is left then. */
  start(terms: Terms): Promise<number>;
  /** The embedded database has moved its socket. */
  moved(host: string): void;
  /** Replaces one after the other, each once its successor listens. Rejects when one cannot start: it and the rest stay. */
  renew(terms: Terms): Promise<void>;
  /** Settles when none is left. */
  /** `drain`: milliseconds for which they go on answering first. */
  stop(drain?: number): Promise<void>;
}

interface Options {
  readonly size: number;
  readonly log: Logger;
}

/** One place among the workers. */
interface Slot {
  readonly number: number;
  member: Member | undefined;
  /** By the monotonic clock. */
  since: number;
  /** How often in a row it was lost within moments. */
  losses: number;
  /** Somebody is about to be seated. */
  expecting: Promise<unknown> | undefined;
}

/** Who lives this long has started well. */
const MOMENTS = 10_000;
const LONGEST_PAUSE = 30_000;
/** Requests and mails under way get 10 seconds in a worker; after SIGTERM, 15 in all. A handover comes on top. */
const STOP_LIMIT = 12_000;
const HANDOVER_LIMIT = STOP_LIMIT + 3_000;

/** Milliseconds for which the figures of all are good. */
const SHARED_FOR = 500;

/** At once the first time; one second, two, four … when it happens again and again. */
const pauseAfter = (losses: number): number => (losses <= 1 ? 0 : Math.min(1_000 * 2 ** (losses - 2), LONGEST_PAUSE));

/** The workers of one `serve`: started, replaced when they die, and stopped by their primary. */
export function createWorkerPool({ size, log }: Options): WorkerPool {
  const slots = Array.from({ length: size }, (_, index): Slot => {
    return { number: index + 1, member: undefined, since: 0, losses: 0, expecting: undefined };
  });
  /** Every process there is, those that start and those that leave too. */
  const members = new Set<Member>();
  const termsOf = new WeakMap<Member, Terms>();
  /** Those that answer requests, and so can be asked. */
  const answering = new Set<Member>();
  const relay = createRelay<Member>({
    onSilent(member) {
      log.error({ worker: member.number, worker_pid: member.pid }, 'a worker does not respond; killing it');
      member.kill();
    },
  });
  const metrics = createWorkerMetrics();
  const end = new AbortController();
  let terms: Terms;

  const receive = (member: Member, message: ToPrimary): void => {
    if (message.type === 'join') relay.join(member);
    if (message.type === 'tell') relay.tell(member, message.id, message.events);
    if (message.type === 'told') relay.told(member, message.id);
    if (message.type === 'metrics') metrics.handIn(member, message.families);
    if (message.type === 'total') void total(member, message.id, message.families);
    if (message.type === 'leaving') {
      answering.delete(member);
      metrics.handIn(member, message.families);
      member.send({ type: 'farewell' });
    }
  };

  const total = async (asker: Member, id: number, own: Parameters<typeof metrics.handIn>[1]): Promise<void> => {
    metrics.handIn(asker, own);
    const others = [...answering].filter((member) => member !== asker);
    asker.send({ type: 'total', id, families: await sharedTotal(others) });
  };

  let gathering: Promise<Awaited<ReturnType<typeof metrics.total>>> | undefined;
  /** Anybody may ask for figures: while they are gathered, and for a moment after it, all get the same. */
  const sharedTotal = (others: readonly Member[]) => {
    gathering ??= metrics.total(others).finally(() => {
      setTimeout(() => {
        gathering = undefined;
      }, SHARED_FOR).unref();
    });
    return gathering;
  };

  const begin = (slot: Slot): Member => {
    const member = startMember({
      number: slot.number,
      assignment: () => {
        termsOf.set(member, terms);
        return { ...terms, number: slot.number };
      },
      receive,
    });
    members.add(member);
    member.ready.then(
      () => answering.add(member),
      () => {},
    );
    member.gone.then(() => {
      members.delete(member);
      answering.delete(member);
      relay.leave(member);
      metrics.leave(member);
    });
    return member;
  };

  /** A new process for the seat. Whoever sits there stays until it listens. */
  const fill = (slot: Slot): Promise<Member> => {
    const member = begin(slot);
    const filled = member.ready.then(
      () => {
        slot.expecting = undefined;
        take(slot, member);
        return member;
      },
      (error) => {
        slot.expecting = undefined;
        throw error;
      },
    );
    slot.expecting = filled.catch(() => {});
    return filled;
  };

  const take = (slot: Slot, member: Member): void => {
    slot.member = member;
    slot.since = performance.now();
    member.gone.then((exit) => lost(slot, member, exit));
  };

  const lost = (slot: Slot, member: Member, exit: Exit): void => {
    if (slot.member !== member || end.signal.aborted) return;
    slot.member = undefined;
    slot.losses = performance.now() - slot.since < MOMENTS ? slot.losses + 1 : 1;
    const { code: exit_code, signal } = exit;
    log.error(
      { worker: slot.number, worker_pid: member.pid, exit_code, signal },
      'a worker exited unexpectedly; starting a new one',
    );
    if (!slot.expecting) void refill(slot);
  };

  const refill = async (slot: Slot): Promise<void> => {
    while (!slot.member) {
      await sleep(pauseAfter(slot.losses), undefined, { signal: end.signal }).catch(() => {});
      if (end.signal.aborted) return;
      await fill(slot).then(
        (member) => log.info({ worker: slot.number, worker_pid: member.pid }, 'the worker is back'),
        (error) => {
          slot.losses++;
          const next = { worker: slot.number, reason: error.message, next_try_ms: pauseAfter(slot.losses) };
          if (!end.signal.aborted) log.error(next, 'a worker could not start; it will be retried');
        },
      );
    }
  };

  const replace = async (slot: Slot, old: Member): Promise<void> => {
    try {
      await fill(slot);
    } catch (error) {
      if (end.signal.aborted) return;
      // The one that was to stay may have died meanwhile.
      if (!slot.member) void refill(slot);
      throw error;
    }
    old.send({ type: 'stop', handover: true });
    await goneWithin(old, HANDOVER_LIMIT);
  };

  const renew = async (given: Terms): Promise<void> => {
    const before = terms;
    terms = given;
    try {
      for (const slot of slots) {
        await slot.expecting;
        const { member } = slot;
        if (end.signal.aborted) return;
        // An empty seat is filled before long, by one that starts on the new terms.
        if (member && termsOf.get(member) !== terms) await replace(slot, member);
      }
    } catch (error) {
      // Who dies later is replaced on terms that are known to work.
      terms = before;
      throw error;
    }
  };

  return {
    async start(given) {
      terms = given;
      const first = slots.map(begin);
      try {
        const [port] = await Promise.all(first.map(({ ready }) => ready));
        for (const [index, slot] of slots.entries()) take(slot, first[index]!);
        return port!;
      } catch (error) {
        for (const member of first) member.kill();
        await Promise.all(first.map(({ gone }) => gone));
        throw error;
      }
    },
    moved(host) {
      for (const member of members) member.send({ type: 'moved', host });
    },
    renew,
    async stop(drain = 0) {
      end.abort();
      const all = [...members];
      for (const member of all) {
        if (termsOf.has(member)) member.send({ type: 'stop', handover: false });
        else member.kill();
      }
      await Promise.all(all.map((member) => goneWithin(member, STOP_LIMIT + drain)));
    },
  };
}

/** What does not end by itself is ended. */
async function goneWithin(member: Member, milliseconds: number): Promise<void> {
  const limit = setTimeout(member.kill, milliseconds);
  await member.gone;
  clearTimeout(limit);
}
