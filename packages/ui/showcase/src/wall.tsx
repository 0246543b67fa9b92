import { PersonChip, WallScreen } from "@frontdesk/ui";
import { SimpleGrid } from "@mantine/core";
import { NAMES } from "./content.ts";

export function WallPage() {
  const people = Array.from({ length: 60 }, (_, index) => ({ id: index, name: NAMES[index % 6] as string }));
  return (
    <WallScreen title="Who is in">
      <SimpleGrid cols={6} spacing="sm">
        {people.map(({ id, name }) => (
          <PersonChip key={id} name={name} more="until 17:00" />
        ))}
      </SimpleGrid>
    </WallScreen>
  );
}
