import { Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { PageHead } from '../../app/PageHead.tsx';
import { useFilters } from '../../app/search.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { RENEWAL, throwUnlessShown } from '../renewal.ts';
import { useConsoleText } from '../text.ts';
import { Figures } from './Figures.tsx';
import { rangeOf } from './range.ts';
import { SignIns } from './SignIns.tsx';
import { Status } from './Status.tsx';
import { useText } from './text.ts';

/** How the service is doing. The range of the charts is in the address. */
export function Page() {
  const t = useText();
  // Loaded along with the page: a part that waits for its words would take all of it away again.
  useConsoleText();
  const { language } = useLanguage();
  const [filters] = useFilters();
  const range = rangeOf(filters.range);
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['overview', range],
    queryFn: () => client.overview.read({ range }),
    refetchInterval: RENEWAL,
    placeholderData: keepPreviousData,
    throwOnError: throwUnlessShown,
  });
  if (!data) return <Loading />;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Stack>
        <ErrorNote error={error ?? undefined} />
        <Figures overview={data} />
        <SignIns {...data.sign_ins} />
        <Status />
        {dataUpdatedAt > 0 && (
          <Text size="xs" c="dimmed">
            {t.renewed(new Date(dataUpdatedAt).toLocaleTimeString(language))}
          </Text>
        )}
      </Stack>
    </>
  );
}
