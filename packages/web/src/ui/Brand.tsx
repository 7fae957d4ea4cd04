import { Anchor, Box } from '@mantine/core';
import classes from './Brand.module.css';
import { Icon } from './Icon.tsx';
import { settings } from './settings.ts';
import { useWords } from './words.ts';

const { brand } = settings;

/** The operator's logo, or the default logo and the name of the service. */
export function BrandMark() {
  if (!brand.logo) {
    return (
      <>
        <Icon name="gate" size={24} /> {brand.name}
      </>
    );
  }
  if (!brand.logo_dark) return <img className={classes.logo} src={brand.logo} alt={brand.name} />;
  return (
    <>
      <Box component="img" className={classes.logo} src={brand.logo} alt={brand.name} darkHidden />
      <Box component="img" className={classes.logo} src={brand.logo_dark} alt={brand.name} lightHidden />
    </>
  );
}

/** Links to help, privacy policy and terms, as far as the operator has set them. */
export function BrandLinks() {
  const t = useWords();
  const links = [
    [brand.support_url, t.support],
    [brand.privacy_url, t.privacy],
    [brand.terms_url, t.terms],
  ].filter(([url]) => url);
  if (links.length === 0) return null;
  return (
    <div className={classes.links}>
      {links.map(([url, label]) => (
        <Anchor key={label} href={url!} size="xs" inherit={false}>
          {label}
        </Anchor>
      ))}
    </div>
  );
}
