import { LIMITS, type PageQuery, type PageSizes } from '@gatehouse/contract';
import { ServiceError } from '../domain/kernel/service-error.ts';

export interface Paging {
  readonly page: number;
  readonly page_size: number;
  readonly offset: number;
}

const MAX_OFFSET = 2 ** 31;

/** docs/reference/http.md#requests: values are clamped to the allowed range; an offset beyond any list is an error. */
export function readPaging({ page: asked, page_size: size }: PageQuery, sizes: PageSizes = LIMITS.pageSize): Paging {
  const page = Math.max(1, Number(asked ?? 1));
  const page_size = Math.min(sizes.max, Math.max(1, Number(size ?? sizes.default)));
  const offset = (page - 1) * page_size;
  if (offset > MAX_OFFSET) throw new ServiceError('invalid_input', 'page: is too large');
  return { page, page_size, offset };
}
