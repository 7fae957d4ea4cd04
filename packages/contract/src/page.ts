import { type Static, type TSchema, Type } from 'typebox';
import { LIMITS } from './limits.ts';

const Whole = (description: string) => Type.Optional(Type.String({ format: 'integer', description, examples: ['1'] }));

export interface PageSizes {
  readonly default: number;
  readonly max: number;
}

/** The page of a list. Values out of range are clamped. */
export const pageQuery = (sizes: PageSizes) => ({
  page: Whole('The page number, from 1 (default).'),
  page_size: Whole(`1 to ${sizes.max}; default ${sizes.default}.`),
});

export const sortQuery = <const Field extends string>(fields: readonly Field[], description: string) =>
  Type.Optional(
    Type.Enum(
      fields.flatMap((field): (Field | `-${Field}`)[] => [field, `-${field}`]),
      { description: `${description} A leading \`-\` sorts in descending order.` },
    ),
  );

/** §8: the query parameters of a list with pages. */
export const PAGE_QUERY = pageQuery(LIMITS.pageSize);
const PageQuery = Type.Object(PAGE_QUERY);
export type PageQuery = Static<typeof PageQuery>;

/** One page of a list, and the total number of items. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), total: Type.Integer(), page: Type.Integer(), page_size: Type.Integer() });
