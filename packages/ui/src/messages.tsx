import "@mantine/notifications/styles.layer.css";
import { Notifications } from "@mantine/notifications";

/** Where short messages appear. */
export const Messages = () => (
  <Notifications position="bottom-right" containerWidth={380} limit={4} pauseResetOnHover="notification" />
);
