import type { ErrorCode } from '@gatehouse/contract';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller, Deps } from '../domain/context.ts';
import type { SweepTask } from '../platform/sweeper.ts';
import type { Guard } from './guards.ts';
import type { HeaderName } from './openapi-headers.ts';

/** What a handler gets: everything as an argument, nothing from the surroundings. */
export interface Exchange<B = unknown, Q = unknown, P = unknown> {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly body: B;
  readonly query: Q;
  readonly params: P;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Shape<S> = S extends TSchema ? Static<S> : undefined;

/** How a body is read. `none`: it is thrown away. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'any' | 'none';

interface Spec<B extends TSchema | undefined, Q extends TSchema | undefined, P extends TSchema | undefined> {
  readonly method: HTTPMethods;
  /** Below the route prefix, unless `atBase`. */
  readonly path: string;
  readonly atBase?: boolean;
  /** Who may pass, in the order of the checks. A route without it keeps the server from starting. */
  readonly access: readonly Guard[];
  readonly summary: string;
  readonly description?: string;
  readonly body?: B;
  /**
   * `any`: the body may be anything at all and never fails; the schema is only documentation.
   * `form`: fields as a browser posts them, all of them text; the schema is only documentation.
   * `multipart`: a form with one file; the schema is made by `OneFile`.
   */
  readonly bodyKind?: 'any' | 'form' | 'multipart';
  /** Each of its fields is optional, and yet it must not be left out. */
  readonly bodyNeeded?: true;
  readonly query?: Q;
  readonly params?: P;
  /** One schema for each status; null for a response without JSON. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  /** Errors beside those of the guards and of validation. */
  readonly errors?: readonly ErrorCode[];
  /** Media type of the answer, when it is not JSON. */
  readonly produces?: string;
  /** Headers of its own that answers below 400 may have. `Location`, `ETag` and `Retry-After` go without saying. */
  readonly sends?: readonly HeaderName[];
  readonly handler: (exchange: Exchange<Shape<B>, Shape<Q>, Shape<P>>) => unknown;
}

/** A route as data: the server mounts it, the OpenAPI document describes it, the catalog test compares it with the spec. */
export interface Route extends Omit<Spec<TSchema, TSchema, TSchema>, 'handler' | 'bodyKind'> {
  readonly bodyKind: BodyKind;
  readonly handler: (exchange: Exchange) => unknown;
}

/** Everything that one feature adds to the service. */
export interface Feature {
  readonly name: string;
  readonly routes: readonly Route[];
  /** Deletes old rows of the feature's tables. */
  readonly sweeps?: readonly SweepTask[];
  /** Registers the feature's metrics. */
  readonly gauges?: (deps: Deps) => void;
}

export function route<
  const B extends TSchema | undefined = undefined,
  const Q extends TSchema | undefined = undefined,
  const P extends TSchema | undefined = undefined,
>(spec: Spec<B, Q, P>): Route {
  const bodyKind = spec.bodyKind ?? (spec.body ? 'json' : 'none');
  return { ...(spec as unknown as Route), bodyKind };
}

/** A command whose fields are all optional. A change that changes nothing is a mistake. */
export const mayBeLeftOut = ({ method, bodyKind, body, bodyNeeded }: Route): boolean =>
  method === 'POST' &&
  bodyKind === 'json' &&
  !bodyNeeded &&
  ((body as { required?: string[] } | undefined)?.required ?? []).length === 0;

/** The path as people call it. */
export const fullPath = (prefix: string, { atBase, path }: Pick<Route, 'atBase' | 'path'>): string =>
  atBase ? path : `${prefix}${path}`;

interface RouteConfig {
  gatehouse?: Route;
}

export const routeConfig = (definition: Route): RouteConfig => ({ gatehouse: definition });

/** The definition behind a request; undefined where none matched. */
export const routeOf = (request: FastifyRequest): Route | undefined =>
  (request.routeOptions?.config as RouteConfig | undefined)?.gatehouse;
