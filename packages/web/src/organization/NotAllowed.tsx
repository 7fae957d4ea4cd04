import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../app/Empty.tsx';
import { PageHead } from '../app/PageHead.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useText } from './text.ts';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly reason: string;
  readonly hint?: string;
}

export function NotAllowed({ icon, title, reason, hint }: Props) {
  const t = useText();
  return (
    <>
      <PageHead title={title} />
      <Panel>
        <Empty icon={icon} title={reason}>
          <Stack align="center">
            {hint}
            <Button variant="default" component={Link} to="/organization/members">
              {t.seeMembers}
            </Button>
          </Stack>
        </Empty>
      </Panel>
    </>
  );
}
