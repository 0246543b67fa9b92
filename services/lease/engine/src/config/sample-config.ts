/** Written on the first start: a lab on loopback that needs no rights. */
export const SAMPLE_CONFIG = `# The lease engine's configuration. docs/lease-engine.md explains every setting.
# After a change: npx leasectl reload (all of it is applied, or nothing).

[server]
# The lab: ordinary UDP on loopback, no rights needed, replies go to where a packet came from.
# For real clients, remove this line and name the interfaces instead: interfaces = ["eth0"]
listen = ["127.0.0.1:6767"]
control_listen = "127.0.0.1:31076"
# metrics_listen = "127.0.0.1:9547"   # Prometheus metrics; absent: none

[lease]
default_time = 3600                  # seconds

[[subnet]]
network = "10.77.0.0/16"
options = { routers = ["10.77.0.1"], domain_name_servers = ["10.77.0.1"] }

  [[subnet.pool]]
  range = "10.77.1.1 - 10.77.250.250"

  [[subnet.reservation]]
  ip = "10.77.0.50"
  mac = "02:00:00:00:00:50"
  hostname = "door"
`;
