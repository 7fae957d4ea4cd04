import { Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { PageHead } from '../../app/PageHead.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { REFETCH_INTERVAL_MS, throwUnlessShown } from '../../app/renewal.ts';
import { useFilters } from '../../app/search.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { Branding } from './Branding.tsx';
import { Metrics } from './Metrics.tsx';
import { rangeOf } from './range.ts';
import { SignIns } from './SignIns.tsx';
import { Status } from './Status.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  const { language } = useLanguage();
  const [filters] = useFilters();
  const range = rangeOf(filters.range);
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['overview', range],
    queryFn: () => client.overview.read({ range }),
    refetchInterval: REFETCH_INTERVAL_MS,
    placeholderData: keepPreviousData,
    throwOnError: throwUnlessShown,
  });
  if (!data) return <PageSkeleton />;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        <ErrorNote error={error ?? undefined} />
        <Metrics overview={data} />
        <SignIns {...data.sign_ins} />
        <Status />
        <Branding />
        {dataUpdatedAt > 0 && (
          <Text size="xs" c="dimmed">
            {t.renewed(new Date(dataUpdatedAt).toLocaleTimeString(language))}
          </Text>
        )}
      </Stack>
    </>
  );
}
