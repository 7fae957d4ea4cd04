import classes from './Brand.module.css';
import { Icon } from './Icon.tsx';
import { settings } from './settings.ts';
import { useWords } from './words.ts';

const { brand } = settings;

export function BrandMark() {
  if (!brand.logo) {
    return (
      <>
        <Icon name="gate" size={24} /> <span>{brand.name}</span>
      </>
    );
  }
  if (!brand.logo_dark) return <img className={classes.logo} src={brand.logo} alt={brand.name} />;
  return (
    <>
      <img className={classes.logo} data-scheme="light" src={brand.logo} alt={brand.name} />
      <img className={classes.logo} data-scheme="dark" src={brand.logo_dark} alt={brand.name} />
    </>
  );
}

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
        <a key={label} href={url!}>
          {label}
        </a>
      ))}
    </div>
  );
}
