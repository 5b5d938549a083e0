// weaken
