import { Anchor, Text } from '@mantine/core';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { settings } from '../../ui/settings.ts';
import { useText } from './text.ts';

const { brand } = settings;
const LOGOS = { BRAND_LOGO: brand.logo, BRAND_LOGO_DARK: brand.logo_dark };
const LINKS = { SUPPORT_URL: brand.support_url, PRIVACY_URL: brand.privacy_url, TERMS_URL: brand.terms_url };

export function Branding() {
  const t = useText().branding;
  const unset = (
    <Text span inherit c="dimmed">
      {t.unset}
    </Text>
  );
  const link = (path: string | null) =>
    path ? (
      <Anchor href={path} inherit>
        {path}
      </Anchor>
    ) : (
      unset
    );
  return (
    <Panel title={t.title} lead={t.lead}>
      <Facts>
        <Fact name="BRAND_NAME">{brand.name}</Fact>
        {Object.entries(LOGOS).map(([name, path]) => (
          <Fact key={name} name={name}>
            {link(path)}
          </Fact>
        ))}
        <Fact name="BRAND_COLOR">{brand.color ?? unset}</Fact>
        {Object.entries(LINKS).map(([name, url]) => (
          <Fact key={name} name={name}>
            {link(url)}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}
