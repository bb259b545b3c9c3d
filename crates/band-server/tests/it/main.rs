//! The platform as a whole: use cases and store, real HTTP and real sockets.

#[cfg(test)]
mod app_access;
#[cfg(test)]
mod app_agents;
#[cfg(test)]
mod app_delivery;
#[cfg(test)]
mod app_messages;
#[cfg(test)]
mod app_reading;
#[cfg(test)]
mod app_rooms;
#[cfg(test)]
mod http_agent;
#[cfg(test)]
mod http_bad_input;
#[cfg(test)]
mod http_callers;
#[cfg(test)]
mod http_contacts;
#[cfg(test)]
mod http_control;
#[cfg(test)]
mod http_envelope;
#[cfg(test)]
mod http_files;
#[cfg(test)]
mod http_human;
#[cfg(test)]
mod http_memories;
#[cfg(test)]
mod http_once;
#[cfg(test)]
mod http_page;
#[cfg(test)]
mod http_rooms;
#[cfg(test)]
mod http_session;
#[cfg(test)]
mod http_tasks;
#[cfg(test)]
mod live;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod server_life;
#[cfg(test)]
mod site;
#[cfg(test)]
mod socket_frames;
#[cfg(test)]
mod socket_pressure;
#[cfg(test)]
mod socket_push;
#[cfg(test)]
mod socket_sessions;
#[cfg(test)]
mod socket_upgrade;
#[cfg(test)]
mod store_files;
#[cfg(test)]
mod store_work;
