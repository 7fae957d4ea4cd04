import { Badge } from '@mantine/core';
import { Icon, type IconName } from '../ui/Icon.tsx';

interface Props {
  readonly children: string;
  readonly icon?: IconName;
  readonly tone?: 'good' | 'bad' | 'plain';
}

const COLOURS = { good: 'teal', bad: 'orange', plain: 'gray' } as const;

/** A word about something. It says all there is to say: the colour only helps to find it. */
export const Tag = ({ children, icon, tone = 'plain' }: Props) => (
  <Badge
    variant="light"
    color={COLOURS[tone]}
    c="var(--mantine-color-text)"
    tt="none"
    fw={500}
    leftSection={icon && <Icon name={icon} size={12} />}
  >
    {children}
  </Badge>
);
