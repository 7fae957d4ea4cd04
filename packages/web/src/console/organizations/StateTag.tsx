import type { Organization } from '@gatehouse/contract';
import { Tag } from '../../app/Tag.tsx';
import { useText } from '../users/text.ts';

export function StateTag({ organization: { suspended } }: { organization: Organization }) {
  const t = useText().organizations;
  return suspended ? <Tag tone="bad">{t.suspended}</Tag> : <Tag tone="good">{t.active}</Tag>;
}
