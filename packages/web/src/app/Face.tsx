import { Avatar } from '@mantine/core';

interface Props {
  readonly name: string;
  readonly src: string | null;
  readonly size?: number;
}

/** Somebody's picture, or the first letter of their name. It stands beside the name, so screen readers skip it. */
export const Face = ({ name, src, size = 36 }: Props) => (
  <Avatar src={src} size={size} alt="" aria-hidden="true">
    {[...name][0]?.toUpperCase()}
  </Avatar>
);
