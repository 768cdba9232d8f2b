"""Search for better settings: layout, cluster size, checkpoint interval, batch. All over the one kernel."""
