import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@gatehouse/contract';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Deps } from '../domain/context.ts';
import type { Caller, Requirements } from '../domain/kernel/caller.ts';
import type { Admits, CallerKinds } from '../domain/kernel/principal.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import type { SweepTask } from '../platform/sweeper.ts';
import type { Proxies } from './client-address.ts';
import type { HeaderName } from './openapi-headers.ts';

/**
 * One condition of a route's access list, checked in the order of docs/reference/http.md#order-of-the-checks. `name` is
 * what the specification's Auth column says.
 */
export interface Guard {
  readonly name: string;
  readonly check: (request: FastifyRequest, deps: Deps, proxies: Proxies) => void | Promise<void>;
  /** What use cases that write check again in their transaction; the other conditions depend on the request only. */
  readonly requires?: (request: FastifyRequest) => Partial<Requirements>;
  /** Whether its routes are part of the administration of the platform. See `visibilityOf`. */
  readonly isPlatform?: true;
}

type SessionOf<P> = P extends { readonly session: SessionState } ? SessionState : undefined;

/** The arguments of a handler; it uses no globals. The kinds in `admits` decide the types of principal and session. */
export interface Exchange<B = unknown, Q = unknown, P = unknown, A extends Admits = Admits> {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly principal: CallerKinds[A[number]];
  readonly session: SessionOf<CallerKinds[A[number]]>;
  readonly body: B;
  readonly query: Q;
  readonly params: P;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** `source` is the state that the content is rendered from. Every change replaces this object: it is a cache key. */
export interface Content {
  readonly source: object;
  readonly render: () => Document;
}

/** JSON with the headers that depend on it. */
export interface Document {
  /** Parts are sent in order. */
  readonly body: string | readonly Buffer[];
  readonly etag?: string;
  readonly cacheControl?: string;
}

type Shape<S> = S extends TSchema ? Static<S> : undefined;

/** How a body is read. `none`: it is discarded. */
export type BodyKind = 'json' | 'form' | 'parameters' | 'pairs' | 'multipart' | 'any' | 'none';

interface Spec<
  B extends TSchema | undefined,
  Q extends TSchema | undefined,
  P extends TSchema | undefined,
  A extends Admits,
> {
  /** Unique name of the operation in OpenAPI; pages have none. Never changes: generated clients use it for methods. */
  readonly id?: string;
  readonly method: HTTPMethods;
  /** Below the route prefix, unless `atBase`. */
  readonly path: string;
  readonly atBase?: boolean;
  /** A rate limit that is checked first. */
  readonly limit?: Guard;
  /** The kinds of callers that the route admits. The server does not start with a route that has no list. */
  readonly admits: A;
  /** What an admitted caller needs besides, in the order of the checks. */
  readonly access?: readonly Guard[];
  readonly summary: string;
  readonly description?: string;
  readonly body?: B;
  /**
   * `any`: the body may be anything at all and never fails; the schema is only documentation.
   * `form`: fields as a browser posts them, all of them text; the schema is only documentation.
   * `parameters`: like `form`, but a field that occurs twice is an error, and empty fields are left out (RFC 6749).
   * `pairs`: a form as `URLSearchParams`, with repetitions; another body is an empty form.
   * `multipart`: a form with one file; the schema is made by `OneFile`.
   */
  readonly bodyKind?: 'any' | 'form' | 'parameters' | 'pairs' | 'multipart';
  /** All fields are optional, but the body itself is required. */
  readonly bodyNeeded?: true;
  readonly query?: Q;
  readonly params?: P;
  /** A schema per status; null for a response without JSON. The only one below 300 is what the handler sends. */
  readonly responses: Readonly<Record<number, TSchema | null>>;
  /** Errors in addition to those of the guards and of validation. */
  readonly errors?: readonly ErrorCode[];
  /** `oauth`: RFC 6749, for routes below `/oauth`. `page`: HTML. Left out: the error body of the specification. */
  readonly errorFormat?: 'oauth' | 'page';
  /** The media type of the response if it is not JSON. */
  readonly produces?: string;
  /** Additional headers of responses below 400. `Location`, `ETag` and `Retry-After` are implied. */
  readonly sends?: readonly HeaderName[];
  readonly handler: (exchange: Exchange<Shape<B>, Shape<Q>, Shape<P>, A>) => unknown;
  /**
   * For frequent GET routes without parameters: returns what the route sends with status 200 to a request without query
   * and body, or undefined if that needs more than memory. It runs before the framework, so it checks `access` itself.
   */
  readonly fast?: (deps: Deps, headers: IncomingHttpHeaders) => Content | undefined;
  /** Called before the 400 for a body or query that is invalid or cannot be read; may throw another error instead. */
  readonly onInvalid?: (exchange: Exchange) => Promise<void>;
}

/** A route as data: the server mounts it, OpenAPI describes it, the catalog test compares it with the specification. */
export interface Route extends Omit<Spec<TSchema, TSchema, TSchema, Admits>, 'handler' | 'bodyKind'> {
  readonly bodyKind: BodyKind;
  readonly handler: (exchange: Exchange) => unknown;
}

export interface Feature {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly sweeps?: readonly SweepTask[];
  readonly gauges?: (deps: Deps) => void;
}

export function route<
  const B extends TSchema | undefined = undefined,
  const Q extends TSchema | undefined = undefined,
  const P extends TSchema | undefined = undefined,
  const A extends Admits = Admits,
>(spec: Spec<B, Q, P, A>): Route {
  const bodyKind = spec.bodyKind ?? (spec.body ? 'json' : 'none');
  return { ...(spec as unknown as Route), bodyKind };
}

/** Whether the body may be omitted: a POST or DELETE with only optional fields. An empty PATCH or PUT is an error. */
export const mayBeLeftOut = ({ method, bodyKind, body, bodyNeeded }: Route): boolean =>
  (method === 'POST' || method === 'DELETE') &&
  bodyKind === 'json' &&
  !bodyNeeded &&
  ((body as { required?: string[] } | undefined)?.required ?? []).length === 0;

export const fullPath = (prefix: string, { atBase, path }: Pick<Route, 'atBase' | 'path'>): string =>
  atBase ? path : `${prefix}${path}`;

interface RouteConfig {
  gatehouse?: Route;
}

export const routeConfig = (definition: Route): RouteConfig => ({ gatehouse: definition });

export const routeOf = (request: FastifyRequest): Route | undefined =>
  (request.routeOptions?.config as RouteConfig | undefined)?.gatehouse;
