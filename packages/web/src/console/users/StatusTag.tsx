import type { User } from '@gatehouse/contract';
import { Tag } from '../../app/Tag.tsx';
import { useText } from './text.ts';

const TONES = { active: 'good', disabled: 'bad', deleted: 'plain' } as const;

export function StatusTag({ status }: Pick<User, 'status'>) {
  return <Tag tone={TONES[status]}>{useText().users.states[status]}</Tag>;
}
