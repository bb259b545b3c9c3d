//! The Band SDK: connects any agent to Band, cloud or self-hosted.
