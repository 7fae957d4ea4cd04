import { isGatehouseError } from '@gatehouse/client';
import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { IconName } from '../ui/Icon.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Empty } from './Empty.tsx';
import { PageHead } from './PageHead.tsx';

/** For the `catch` of a read: returns null for an id that does not exist or is invalid, otherwise rethrows. */
export function nullWhenMissing(error: unknown): null {
  if (isGatehouseError(error, 'not_found') || isGatehouseError(error, 'invalid_input')) return null;
  throw error;
}

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  readonly to: string;
  readonly label: string;
}

export const Missing = ({ icon, title, hint, to, label }: Props) => (
  <>
    <PageHead title={title} />
    <Panel>
      <Empty icon={icon} title={title}>
        <Stack align="center">
          {hint}
          <Button variant="default" component={Link} to={to}>
            {label}
          </Button>
        </Stack>
      </Empty>
    </Panel>
  </>
);
