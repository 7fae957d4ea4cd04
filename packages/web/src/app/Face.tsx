import { Avatar } from '@mantine/core';

interface Props {
  readonly name: string;
  readonly src: string | null;
  readonly size?: number;
}

/** The avatar, or the first letter of the name. Hidden from screen readers, because the name is beside it. */
export const Face = ({ name, src, size = 36 }: Props) => (
  <Avatar src={src} size={size} alt="" aria-hidden="true">
    {[...name][0]?.toUpperCase()}
  </Avatar>
);
