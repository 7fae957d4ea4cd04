import { Skeleton, Stack } from '@mantine/core';
import { Panel } from '../ui/Panel.tsx';
import { RowsSkeleton } from './RowsSkeleton.tsx';

export const PageSkeleton = () => (
  <Stack>
    <Skeleton height={30} width="14rem" mb="sm" />
    <Panel>
      <RowsSkeleton />
    </Panel>
  </Stack>
);
