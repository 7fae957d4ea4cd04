import { LIMITS, type PageQuery, type PageSizes } from '@gatehouse/contract';

export interface Paging {
  readonly page: number;
  readonly page_size: number;
  readonly offset: number;
}

/** Beyond every list. */
const MAX_OFFSET = 2 ** 31;

/** docs/reference/http.md#requests: values are clamped to the allowed range. */
export function readPaging({ page: asked, page_size: size }: PageQuery, sizes: PageSizes = LIMITS.pageSize): Paging {
  const page = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Number(asked ?? 1)));
  const page_size = Math.min(sizes.max, Math.max(1, Number(size ?? sizes.default)));
  const offset = Math.min(MAX_OFFSET, (page - 1) * page_size);
  return { page, page_size, offset };
}
