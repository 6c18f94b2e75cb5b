"""The server: requests -> examples -> queue -> one worker with the models -> answers; and the playground."""
