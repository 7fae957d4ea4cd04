import { type Static, type TSchema, Type } from 'typebox';
import { LIMITS } from './limits.ts';

const Whole = (description: string) =>
  Type.Optional(Type.String({ format: 'integer', description, examples: ['1'], maxLength: 21 }));

/** §8: which page of a list. What is out of range is brought into it. */
export const PAGE_QUERY = {
  page: Whole('From 1, which it is when left out.'),
  page_size: Whole(`1 to ${LIMITS.pageSize.max}; ${LIMITS.pageSize.default} when left out.`),
} as const;
const PageQuery = Type.Object(PAGE_QUERY);
export type PageQuery = Static<typeof PageQuery>;

/** One page of a list, and how many there are in all. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), total: Type.Integer(), page: Type.Integer(), page_size: Type.Integer() });
